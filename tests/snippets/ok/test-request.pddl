; test-request
; costs are scores: cost + risk
(define (domain test-request)
  (:requirements :strips :action-costs)
  (:predicates
    (day)  ; the day the user means
    (new_time)  ; when it should be instead
    (event_id)
    (moved)
    (cancelled)
  )
  (:functions (total-cost) - number)

  ; find_event (cost 1, risk read)
  (:action find_event
    :parameters ()
    :precondition (and (day))
    :effect (and (event_id) (increase (total-cost) 1))
  )

  ; move_event (cost 1, risk write)
  (:action move_event
    :parameters ()
    :precondition (and (event_id) (new_time))
    :effect (and (moved) (increase (total-cost) 2))
  )

  ; cancel_event (cost 1, risk write)
  (:action cancel_event
    :parameters ()
    :precondition (and (event_id))
    :effect (and (cancelled) (increase (total-cost) 2))
  )

  ; ask_day (cost 5, a question): What is the day (the day the user means)?
  (:action ask_day
    :parameters ()
    :precondition (and)
    :effect (and (day) (increase (total-cost) 5))
  )

  ; ask_new_time (cost 5, a question): What is the new time (when it should be instead)?
  (:action ask_new_time
    :parameters ()
    :precondition (and)
    :effect (and (new_time) (increase (total-cost) 5))
  )
)

; move
(define (problem test-request-problem)
  (:domain test-request)
  (:init
    (= (total-cost) 0)
    (day)
    (new_time)
  )
  (:goal (and (moved) (day) (new_time)))
  (:metric minimize (total-cost))
)
