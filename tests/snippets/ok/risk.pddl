; risk
; costs are scores (cost + risk) in units of 1/2
(define (domain risk)
  (:requirements :strips :action-costs)
  (:predicates
    (draft)
    (report_ready)
  )
  (:functions (total-cost) - number)

  ; ask_colleague (cost 1, risk send)
  (:action ask_colleague
    :parameters ()
    :precondition (and)
    :effect (and (report_ready) (increase (total-cost) 8))
  )

  ; write_draft (cost 1, risk draft)
  (:action write_draft
    :parameters ()
    :precondition (and)
    :effect (and (draft) (increase (total-cost) 3))
  )

  ; finish_draft (cost 1, risk write)
  (:action finish_draft
    :parameters ()
    :precondition (and (draft))
    :effect (and (report_ready) (increase (total-cost) 4))
  )
)

; report_ready
(define (problem risk-problem)
  (:domain risk)
  (:init
    (= (total-cost) 0)
  )
  (:goal (and (report_ready)))
  (:metric minimize (total-cost))
)
