; import
; costs are scores: cost + risk
(define (domain import)
  (:requirements :strips :typing :action-costs)
  (:types
    any - object
    person - any
    file - any
  )
  (:predicates
    (named ?person - person)
    (resolved ?person - person)
    (shared ?file - file ?person - person)
  )
  (:functions (total-cost) - number)

  ; find_person (cost 1, risk read)
  (:action find_person
    :parameters (?p - person)
    :precondition (and (named ?p))
    :effect (and (resolved ?p) (increase (total-cost) 1))
  )

  ; share_file (cost 1, risk share)
  (:action share_file
    :parameters (?f - file ?p - person)
    :precondition (and (resolved ?p))
    :effect (and (shared ?f ?p) (increase (total-cost) 4))
  )
)

; shared(report, anna)
(define (problem import-problem)
  (:domain import)
  (:objects
    anna - person
    report - file
  )
  (:init
    (= (total-cost) 0)
    (named anna)
  )
  (:goal (and (shared report anna)))
  (:metric minimize (total-cost))
)
