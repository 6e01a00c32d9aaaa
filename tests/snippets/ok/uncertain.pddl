; uncertain
; costs are scores: cost + risk
(define (domain uncertain)
  (:requirements :strips :action-costs)
  (:predicates
    (event_id)
    (event_id-claimed)  ; claimed
    (event_details)
    (event_details-claimed)  ; claimed
    (event_deleted)
    (event_deleted-claimed)  ; claimed
  )
  (:functions (total-cost) - number)

  ; read_event (cost 1, risk read)
  (:action read_event
    :parameters ()
    :precondition (and (event_id))
    :effect (and (event_details) (event_details-claimed) (increase (total-cost) 1))
  )

  ; read_event (cost 1, risk read)
  (:action read_event-on-claims
    :parameters ()
    :precondition (and (event_id-claimed))
    :effect (and (event_details-claimed) (increase (total-cost) 1))
  )

  ; verify_event (cost 2, risk read)
  (:action verify_event
    :parameters ()
    :precondition (and (event_id))
    :effect (and (event_id) (event_id-claimed) (increase (total-cost) 2))
  )

  ; verify_event (cost 2, risk read)
  (:action verify_event-on-claims
    :parameters ()
    :precondition (and (event_id-claimed))
    :effect (and (event_id) (event_id-claimed) (increase (total-cost) 2))
  )

  ; delete_event (cost 1, risk delete)
  (:action delete_event
    :parameters ()
    :precondition (and (event_id))
    :effect (and (event_deleted) (event_deleted-claimed) (increase (total-cost) 6))
  )
)

; event_deleted
(define (problem uncertain-problem)
  (:domain uncertain)
  (:init
    (= (total-cost) 0)
    (event_id-claimed)
  )
  (:goal (and (event_deleted)))
  (:metric minimize (total-cost))
)
