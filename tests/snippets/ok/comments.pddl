; comments
; costs are scores: cost + risk
(define (domain comments)
  (:requirements :strips :action-costs)
  (:predicates
    (date)
    (event_id)  ; a string with a # in it is no comment
  )
  (:functions (total-cost) - number)

  ; search_events (cost 1, risk read)
  (:action search_events
    :parameters ()
    :precondition (and (date))
    :effect (and (event_id) (increase (total-cost) 1))
  )
)

; event_id
(define (problem comments-problem)
  (:domain comments)
  (:init
    (= (total-cost) 0)
    (date)
  )
  (:goal (and (event_id)))
  (:metric minimize (total-cost))
)
