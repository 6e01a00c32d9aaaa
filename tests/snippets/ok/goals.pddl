; goals
; costs are scores: cost + risk
(define (domain goals)
  (:requirements :strips :action-costs)
  (:predicates
    (event_id)
    (event_updated)
    (guests_informed)
  )
  (:functions (total-cost) - number)

  ; update_event (cost 1, risk write)
  (:action update_event
    :parameters ()
    :precondition (and (event_id))
    :effect (and (not (guests_informed)) (event_updated) (increase (total-cost) 2))
  )

  ; inform_guests (cost 1, risk send)
  (:action inform_guests
    :parameters ()
    :precondition (and (event_id))
    :effect (and (guests_informed) (increase (total-cost) 4))
  )

  ; ask_event_id (cost 5, a question): What is the event id?
  (:action ask_event_id
    :parameters ()
    :precondition (and)
    :effect (and (event_id) (increase (total-cost) 5))
  )
)

; inform_guests, move_event
(define (problem goals-problem)
  (:domain goals)
  (:init
    (= (total-cost) 0)
    (event_id)
  )
  (:goal (and (guests_informed) (event_updated) (event_id)))
  (:metric minimize (total-cost))
)
