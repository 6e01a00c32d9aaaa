; oneof
; costs are scores: cost + risk
(define (domain oneof_)
  (:requirements :strips :negative-preconditions :action-costs)
  (:predicates
    (order_id)
    (in_stock)  ; the shop has it
    (in_stock-denied)  ; known to be false
    (out_of_stock)  ; the shop is waiting for it
    (out_of_stock-denied)  ; known to be false
    (reserved)
    (ordered)
  )
  (:functions (total-cost) - number)

  ; look_up_stock (cost 1, risk read)
  (:action look_up_stock-outcome-1
    :parameters ()
    :precondition (and (order_id) (not (in_stock-denied)))
    :effect (and (in_stock) (not (in_stock-denied)) (increase (total-cost) 1))
  )

  ; look_up_stock (cost 1, risk read)
  (:action look_up_stock-outcome-2
    :parameters ()
    :precondition (and (order_id) (not (out_of_stock-denied)) (not (in_stock)))
    :effect (and (not (in_stock)) (in_stock-denied) (out_of_stock) (not (out_of_stock-denied)) (increase (total-cost) 1))
  )

  ; reserve (cost 1, risk write)
  (:action reserve
    :parameters ()
    :precondition (and (in_stock))
    :effect (and (reserved) (increase (total-cost) 2))
  )

  ; order (cost 1, risk write)
  (:action order
    :parameters ()
    :precondition (and (out_of_stock))
    :effect (and (ordered) (increase (total-cost) 2))
  )
)

; reserved
(define (problem oneof-problem)
  (:domain oneof_)
  (:init
    (= (total-cost) 0)
    (order_id)
  )
  (:goal (and (reserved)))
  (:metric minimize (total-cost))
)
