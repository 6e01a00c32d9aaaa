; phrases
; costs are scores: cost + risk
(define (domain phrases)
  (:requirements :strips :typing :action-costs)
  (:types
    any - object
    event_ - any
    person - any
  )
  (:predicates
    (described ?event_ - event_)
    (starts ?event_ - event_)
    (reason)
    (moved ?event_ - event_)
    (told ?person - person)
  )
  (:functions (total-cost) - number)

  ; move_event (cost 1, risk write)
  (:action move_event
    :parameters (?e - event_)
    :precondition (and (described ?e) (starts ?e))
    :effect (and (moved ?e) (increase (total-cost) 2))
  )

  ; tell (cost 1, risk send)
  (:action tell
    :parameters (?p - person)
    :precondition (and (reason))
    :effect (and (told ?p) (increase (total-cost) 4))
  )

  ; ask_described (cost 5, a question): Please say: described
  (:action ask_described
    :parameters (?event_ - event_)
    :precondition (and)
    :effect (and (described ?event_) (increase (total-cost) 5))
  )

  ; ask_starts (cost 5, a question): Please say: starts
  (:action ask_starts
    :parameters (?event_ - event_)
    :precondition (and)
    :effect (and (starts ?event_) (increase (total-cost) 5))
  )

  ; ask_reason (cost 5, a question): What is the reason?
  (:action ask_reason
    :parameters ()
    :precondition (and)
    :effect (and (reason) (increase (total-cost) 5))
  )
)

; move_event(dentist)
(define (problem phrases-problem)
  (:domain phrases)
  (:objects
    dentist - event_
  )
  (:init
    (= (total-cost) 0)
    (described dentist)
    (starts dentist)
  )
  (:goal (and (moved dentist) (described dentist) (starts dentist)))
  (:metric minimize (total-cost))
)
