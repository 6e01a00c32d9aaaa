; fact-fresh
; costs are scores: cost + risk
(define (domain fact-fresh)
  (:requirements :strips :action-costs)
  (:predicates
    (stock)  ; pieces in the warehouse
    (price)
    (rate)
    (terms)
    (ticker)
  )
  (:functions (total-cost) - number)

  ; read_stock (cost 1, risk read)
  (:action read_stock
    :parameters ()
    :precondition (and)
    :effect (and (stock) (increase (total-cost) 1))
  )
)

; stock
(define (problem fact-fresh-problem)
  (:domain fact-fresh)
  (:init
    (= (total-cost) 0)
  )
  (:goal (and (stock)))
  (:metric minimize (total-cost))
)
