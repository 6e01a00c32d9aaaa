; fact-parameters
; costs are scores: cost + risk
(define (domain fact-parameters)
  (:requirements :strips :typing :action-costs)
  (:types
    any - object
    file - any
    person - any
  )
  (:predicates
    (shared ?file - file ?person - person)  ; the person can open the file
    (replaced ?old - file ?new - file)
  )
  (:functions (total-cost) - number)

  ; share_file (cost 1, risk share)
  (:action share_file
    :parameters (?f - file ?p - person)
    :precondition (and)
    :effect (and (shared ?f ?p) (increase (total-cost) 4))
  )

  ; replace_file (cost 1, risk write)
  (:action replace_file
    :parameters (?new - file ?old - file)
    :precondition (and)
    :effect (and (replaced ?old ?new) (increase (total-cost) 2))
  )
)

; shared(report, anna), replaced(draft, report)
(define (problem fact-parameters-problem)
  (:domain fact-parameters)
  (:objects
    anna - person
    draft - file
    report - file
  )
  (:init
    (= (total-cost) 0)
  )
  (:goal (and (shared report anna) (replaced draft report)))
  (:metric minimize (total-cost))
)
