; requires-exists
; costs are scores: cost + risk
(define (domain requires-exists)
  (:requirements :strips :typing :existential-preconditions :action-costs)
  (:types
    any - object
    reviewer - any
  )
  (:predicates
    (approved_by ?reviewer - reviewer)
    (merged)
  )
  (:functions (total-cost) - number)

  ; ask_for_review (cost 1, risk send)
  (:action ask_for_review
    :parameters (?r - reviewer)
    :precondition (and)
    :effect (and (approved_by ?r) (increase (total-cost) 4))
  )

  ; merge (cost 1, risk write)
  (:action merge
    :parameters ()
    :precondition (and (exists (?r - reviewer) (approved_by ?r)))
    :effect (and (merged) (increase (total-cost) 2))
  )
)

; merged
(define (problem requires-exists-problem)
  (:domain requires-exists)
  (:objects
    anna - reviewer
  )
  (:init
    (= (total-cost) 0)
    (approved_by anna)
  )
  (:goal (and (merged)))
  (:metric minimize (total-cost))
)
