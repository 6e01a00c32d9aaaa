; when
; costs are scores: cost + risk
(define (domain when_)
  (:requirements :strips :typing :negative-preconditions :conditional-effects :action-costs)
  (:types
    any - object
    file - any
  )
  (:predicates
    (found ?file - file)
    (watched ?file - file)
    (uploaded ?file - file)
    (watchers_informed ?file - file)
    (stale ?file - file)
  )
  (:functions (total-cost) - number)

  ; upload (cost 1, risk write)
  (:action upload
    :parameters (?f - file)
    :precondition (and (found ?f))
    :effect (and (when (and (found ?f) (watched ?f)) (and (not (stale ?f)))) (uploaded ?f) (when (and (watched ?f)) (and (watchers_informed ?f))) (increase (total-cost) 2))
  )
)

; watchers_informed(report), not stale(report)
(define (problem when-problem)
  (:domain when_)
  (:objects
    report - file
  )
  (:init
    (= (total-cost) 0)
    (found report)
    (stale report)
    (watched report)
  )
  (:goal (and (watchers_informed report) (not (stale report))))
  (:metric minimize (total-cost))
)
