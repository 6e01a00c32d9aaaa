; returns-path
; costs are scores: cost + risk
(define (domain returns-path)
  (:requirements :strips :action-costs)
  (:predicates
    (date)
    (event_id)
    (event_title)
  )
  (:functions (total-cost) - number)

  ; search_events (cost 1, risk read)
  (:action search_events
    :parameters ()
    :precondition (and (date))
    :effect (and (event_id) (event_title) (increase (total-cost) 1))
  )
)

; event_id
(define (problem returns-path-problem)
  (:domain returns-path)
  (:init
    (= (total-cost) 0)
    (date)
  )
  (:goal (and (event_id)))
  (:metric minimize (total-cost))
)
