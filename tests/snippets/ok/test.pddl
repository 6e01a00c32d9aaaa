; test
; costs are scores: cost + risk
(define (domain test)
  (:requirements :strips :action-costs)
  (:predicates
    (order_id)
    (cancelled)
    (refunded)
  )
  (:functions (total-cost) - number)

  ; cancel_order (cost 1, risk write)
  (:action cancel_order
    :parameters ()
    :precondition (and (order_id))
    :effect (and (cancelled) (increase (total-cost) 2))
  )

  ; which_order (cost 5, a question): Which order is it?
  (:action which_order
    :parameters ()
    :precondition (and)
    :effect (and (order_id) (increase (total-cost) 5))
  )
)

; cancel
(define (problem test-problem)
  (:domain test)
  (:init
    (= (total-cost) 0)
    (order_id)
  )
  (:goal (and (cancelled)))
  (:metric minimize (total-cost))
)
