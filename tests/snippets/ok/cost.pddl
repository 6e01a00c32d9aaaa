; cost
; costs are scores (cost + risk) in units of 1/4
(define (domain cost)
  (:requirements :strips :action-costs)
  (:predicates
    (date)
    (event_id)
  )
  (:functions (total-cost) - number)

  ; list_all_events (cost 2.5, risk read)
  (:action list_all_events
    :parameters ()
    :precondition (and)
    :effect (and (event_id) (increase (total-cost) 10))
  )

  ; search_events (cost 0.25, risk read)
  (:action search_events
    :parameters ()
    :precondition (and (date))
    :effect (and (event_id) (increase (total-cost) 1))
  )

  ; read_clock (cost 0, risk read)
  (:action read_clock
    :parameters ()
    :precondition (and)
    :effect (and (date) (increase (total-cost) 0))
  )
)

; event_id
(define (problem cost-problem)
  (:domain cost)
  (:init
    (= (total-cost) 0)
  )
  (:goal (and (event_id)))
  (:metric minimize (total-cost))
)
