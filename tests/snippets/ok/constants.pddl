; constants
; costs are scores: cost + risk
(define (domain constants_)
  (:requirements :strips :typing :action-costs)
  (:types
    any - object
    channel - any
    person - any
  )
  (:constants
    general - channel
    random - channel
    me - person
  )
  (:predicates
    (posted ?channel - channel)
    (notified ?person - person)
  )
  (:functions (total-cost) - number)

  ; post (cost 1, risk send)
  (:action post
    :parameters (?c - channel)
    :precondition (and)
    :effect (and (posted ?c) (increase (total-cost) 4))
  )

  ; remind_me (cost 1, risk write)
  (:action remind_me
    :parameters ()
    :precondition (and (posted general))
    :effect (and (notified me) (increase (total-cost) 2))
  )
)

; notified(me)
(define (problem constants-problem)
  (:domain constants_)
  (:init
    (= (total-cost) 0)
  )
  (:goal (and (notified me)))
  (:metric minimize (total-cost))
)
