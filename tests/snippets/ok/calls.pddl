; calls
; costs are scores: cost + risk
(define (domain calls)
  (:requirements :strips :action-costs)
  (:predicates
    (event_id)
    (event_updated)
  )
  (:functions (total-cost) - number)

  ; update_event (cost 1, risk write)
  (:action update_event
    :parameters ()
    :precondition (and (event_id))
    :effect (and (event_updated) (increase (total-cost) 2))
  )
)

; event_updated
(define (problem calls-problem)
  (:domain calls)
  (:init
    (= (total-cost) 0)
    (event_id)
  )
  (:goal (and (event_updated)))
  (:metric minimize (total-cost))
)
