; test-world
; costs are scores: cost + risk
(define (domain test-world)
  (:requirements :strips :action-costs)
  (:predicates
    (customer)
    (order_id)
    (order_state)
    (paid_back)
  )
  (:functions (total-cost) - number)

  ; search_orders (cost 1, risk read)
  (:action search_orders
    :parameters ()
    :precondition (and (customer))
    :effect (and (order_id) (increase (total-cost) 1))
  )

  ; read_order (cost 1, risk read)
  (:action read_order
    :parameters ()
    :precondition (and (order_id))
    :effect (and (order_state) (increase (total-cost) 1))
  )

  ; look_up_order (cost 3, risk read)
  (:action look_up_order
    :parameters ()
    :precondition (and (order_id))
    :effect (and (order_state) (increase (total-cost) 3))
  )

  ; refund (cost 1, risk write)
  (:action refund
    :parameters ()
    :precondition (and (order_state))
    :effect (and (paid_back) (increase (total-cost) 2))
  )

  ; which_order (cost 5, a question): Which order is it?
  (:action which_order
    :parameters ()
    :precondition (and)
    :effect (and (order_id) (increase (total-cost) 5))
  )
)

; paid_back
(define (problem test-world-problem)
  (:domain test-world)
  (:init
    (= (total-cost) 0)
    (order_id)
  )
  (:goal (and (paid_back)))
  (:metric minimize (total-cost))
)
