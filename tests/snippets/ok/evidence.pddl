; evidence
; costs are scores: cost + risk
(define (domain evidence)
  (:requirements :strips :action-costs)
  (:predicates
    (order_id)
    (cancelled)
  )
  (:functions (total-cost) - number)

  ; cancel_order (cost 1, risk write): Cancel an order that has not left yet.
  (:action cancel_order
    :parameters ()
    :precondition (and (order_id))
    :effect (and (cancelled) (increase (total-cost) 2))
  )
)

; cancelled
(define (problem evidence-problem)
  (:domain evidence)
  (:init
    (= (total-cost) 0)
    (order_id)
  )
  (:goal (and (cancelled)))
  (:metric minimize (total-cost))
)
