; removes
; costs are scores: cost + risk
(define (domain removes)
  (:requirements :strips :typing :action-costs)
  (:types
    any - object
    file - any
  )
  (:predicates
    (found ?file - file)
    (public ?file - file)
    (public-denied ?file - file)  ; known to be false
    (archived ?file - file)
  )
  (:functions (total-cost) - number)

  ; archive (cost 1, risk write)
  (:action archive
    :parameters (?f - file)
    :precondition (and (found ?f))
    :effect (and (not (public ?f)) (public-denied ?f) (archived ?f) (increase (total-cost) 2))
  )
)

; not public(report)
(define (problem removes-problem)
  (:domain removes)
  (:objects
    report - file
  )
  (:init
    (= (total-cost) 0)
    (found report)
    (public report)
  )
  (:goal (and (public-denied report)))
  (:metric minimize (total-cost))
)
