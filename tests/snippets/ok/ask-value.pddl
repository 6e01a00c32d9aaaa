; ask-value
; costs are scores: cost + risk
(define (domain ask-value)
  (:requirements :strips :action-costs)
  (:predicates
    (recipient)
    (report_id)
    (sent)
  )
  (:functions (total-cost) - number)

  ; send_report (cost 1, risk send)
  (:action send_report
    :parameters ()
    :precondition (and (report_id) (recipient))
    :effect (and (sent) (increase (total-cost) 4))
  )

  ; recipient_name (cost 3, a question): Who should it go to?
  (:action recipient_name
    :parameters ()
    :precondition (and (report_id))
    :effect (and (recipient) (increase (total-cost) 3))
  )
)

; sent
(define (problem ask-value-problem)
  (:domain ask-value)
  (:init
    (= (total-cost) 0)
    (report_id)
  )
  (:goal (and (sent)))
  (:metric minimize (total-cost))
)
