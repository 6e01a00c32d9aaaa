; contract
; costs are scores: cost + risk
(define (domain contract)
  (:requirements :strips :action-costs)
  (:predicates
    (date)
    (event_id)
  )
  (:functions (total-cost) - number)

  ; search_events (cost 1, risk unrated)
  (:action search_events
    :parameters ()
    :precondition (and (date))
    :effect (and (event_id) (increase (total-cost) 6))
  )
)

; event_id
(define (problem contract-problem)
  (:domain contract)
  (:init
    (= (total-cost) 0)
    (date)
  )
  (:goal (and (event_id)))
  (:metric minimize (total-cost))
)
