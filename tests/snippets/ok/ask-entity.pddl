; ask-entity
; costs are scores: cost + risk
(define (domain ask-entity)
  (:requirements :strips :typing :action-costs)
  (:types
    any - object
    person - any
  )
  (:predicates
    (named ?person - person)
    (resolved ?person - person)
    (invited ?person - person)
  )
  (:functions (total-cost) - number)

  ; look_up (cost 4, risk read)
  (:action look_up
    :parameters (?p - person)
    :precondition (and (named ?p))
    :effect (and (resolved ?p) (increase (total-cost) 4))
  )

  ; invite (cost 1, risk send)
  (:action invite
    :parameters (?p - person)
    :precondition (and (resolved ?p))
    :effect (and (invited ?p) (increase (total-cost) 4))
  )

  ; which_person (cost 2, a question): Which of them do you mean?
  (:action which_person
    :parameters (?p - person)
    :precondition (and (named ?p))
    :effect (and (resolved ?p) (increase (total-cost) 2))
  )
)

; invited(anna)
(define (problem ask-entity-problem)
  (:domain ask-entity)
  (:objects
    anna - person
  )
  (:init
    (= (total-cost) 0)
    (named anna)
  )
  (:goal (and (invited anna)))
  (:metric minimize (total-cost))
)
