; workspace: Office assistant: calendar, e-mail, files
; costs are scores: cost + risk
(define (domain workspace)
  (:requirements :strips :action-costs)
  (:predicates
    (event_id)  ; the identifier of one calendar event
  )
  (:functions (total-cost) - number)

  ; search_events (cost 1, risk read): Search calendar events.
  (:action search_events
    :parameters ()
    :precondition (and)
    :effect (and (event_id) (increase (total-cost) 1))
  )
)

; event_id
(define (problem workspace-problem)
  (:domain workspace)
  (:init
    (= (total-cost) 0)
  )
  (:goal (and (event_id)))
  (:metric minimize (total-cost))
)
