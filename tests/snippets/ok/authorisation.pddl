; authorisation
; costs are scores (cost + risk) in units of 1/2
(define (domain authorisation)
  (:requirements :strips :typing :action-costs)
  (:types
    any - object
    file - any
  )
  (:predicates
    (found ?file - file)
    (published ?file - file)
    (drafted ?file - file)
  )
  (:functions (total-cost) - number)

  ; publish_file (cost 1, risk share): Make a file public.
  (:action publish_file
    :parameters (?f - file)
    :precondition (and (found ?f))
    :effect (and (published ?f) (increase (total-cost) 8))
  )

  ; draft_file (cost 1, risk draft): Put a file up for somebody else to publish.
  (:action draft_file
    :parameters (?f - file)
    :precondition (and (found ?f))
    :effect (and (drafted ?f) (increase (total-cost) 3))
  )

  ; find_file (cost 1, risk read): Find a file.
  (:action find_file
    :parameters (?f - file)
    :precondition (and)
    :effect (and (found ?f) (increase (total-cost) 2))
  )
)

; published(report)
(define (problem authorisation-problem)
  (:domain authorisation)
  (:objects
    report - file
  )
  (:init
    (= (total-cost) 0)
  )
  (:goal (and (published report)))
  (:metric minimize (total-cost))
)
