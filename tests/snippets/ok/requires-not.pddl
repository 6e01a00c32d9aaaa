; requires-not
; costs are scores: cost + risk
(define (domain requires-not)
  (:requirements :strips :negative-preconditions :action-costs)
  (:predicates
    (order_id)
    (shipped)  ; the parcel has left; a carrier changes this, too
    (shipped-denied)  ; known to be false
    (cancelled)
  )
  (:functions (total-cost) - number)

  ; read_order (cost 1, risk read)
  (:action read_order-outcome-1
    :parameters ()
    :precondition (and (order_id) (not (shipped)))
    :effect (and (not (shipped)) (shipped-denied) (increase (total-cost) 1))
  )

  ; read_order (cost 1, risk read)
  (:action read_order-outcome-2
    :parameters ()
    :precondition (and (order_id) (not (shipped-denied)))
    :effect (and (shipped) (not (shipped-denied)) (increase (total-cost) 1))
  )

  ; cancel_order (cost 1, risk write)
  (:action cancel_order
    :parameters ()
    :precondition (and (order_id) (shipped-denied))
    :effect (and (cancelled) (increase (total-cost) 2))
  )
)

; cancelled
(define (problem requires-not-problem)
  (:domain requires-not)
  (:init
    (= (total-cost) 0)
    (order_id)
  )
  (:goal (and (cancelled)))
  (:metric minimize (total-cost))
)
