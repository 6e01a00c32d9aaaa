; checks
; costs are scores: cost + risk
(define (domain checks)
  (:requirements :strips :typing :action-costs)
  (:types
    any - object
    order - any
  )
  (:predicates
    (amount)
    (currency)
    (charged ?order - order)
    (refunded ?order - order)
  )
  (:functions (total-cost) - number)

  ; refund (cost 1, risk write)
  (:action refund
    :parameters (?o - order)
    :precondition (and (charged ?o) (amount) (currency))
    :effect (and (refunded ?o) (increase (total-cost) 2))
  )
)

; refunded(17)
(define (problem checks-problem)
  (:domain checks)
  (:objects
    x17 - order
  )
  (:init
    (= (total-cost) 0)
    (amount)
    (charged x17)
    (currency)
  )
  (:goal (and (refunded x17)))
  (:metric minimize (total-cost))
)
