; by-model
; costs are scores: cost + risk
(define (domain by-model)
  (:requirements :strips :action-costs)
  (:predicates
    (text)
    (text-claimed)  ; claimed
    (summary)
    (summary-claimed)  ; claimed
    (summary_sent)
    (summary_sent-claimed)  ; claimed
  )
  (:functions (total-cost) - number)

  ; summarize (cost 1, risk read): Say in three sentences what the text is about.
  (:action summarize
    :parameters ()
    :precondition (and (text))
    :effect (and (summary-claimed) (increase (total-cost) 1))
  )

  ; summarize (cost 1, risk read): Say in three sentences what the text is about.
  (:action summarize-on-claims
    :parameters ()
    :precondition (and (text-claimed))
    :effect (and (summary-claimed) (increase (total-cost) 1))
  )

  ; check_summary (cost 1, risk read)
  (:action check_summary
    :parameters ()
    :precondition (and (summary))
    :effect (and (summary) (summary-claimed) (increase (total-cost) 1))
  )

  ; check_summary (cost 1, risk read)
  (:action check_summary-on-claims
    :parameters ()
    :precondition (and (summary-claimed))
    :effect (and (summary) (summary-claimed) (increase (total-cost) 1))
  )

  ; send_summary (cost 1, risk send)
  (:action send_summary
    :parameters ()
    :precondition (and (summary))
    :effect (and (summary_sent) (summary_sent-claimed) (increase (total-cost) 4))
  )
)

; summary_sent
(define (problem by-model-problem)
  (:domain by-model)
  (:init
    (= (total-cost) 0)
    (text)
    (text-claimed)
  )
  (:goal (and (summary_sent)))
  (:metric minimize (total-cost))
)
