; verifies
; costs are scores: cost + risk
(define (domain verifies)
  (:requirements :strips :action-costs)
  (:predicates
    (invoice_id)  ; which invoice is meant
    (invoice_id-claimed)  ; claimed
    (paid)  ; the money has arrived
    (paid-claimed)  ; claimed
    (receipt_sent)
    (receipt_sent-claimed)  ; claimed
  )
  (:functions (total-cost) - number)

  ; read_invoice (cost 1, risk read)
  (:action read_invoice
    :parameters ()
    :precondition (and (invoice_id))
    :effect (and (paid) (paid-claimed) (invoice_id) (invoice_id-claimed) (paid) (paid-claimed) (increase (total-cost) 1))
  )

  ; read_invoice (cost 1, risk read)
  (:action read_invoice-on-claims
    :parameters ()
    :precondition (and (invoice_id-claimed))
    :effect (and (paid-claimed) (invoice_id) (invoice_id-claimed) (paid) (paid-claimed) (increase (total-cost) 1))
  )

  ; send_receipt (cost 1, risk send)
  (:action send_receipt
    :parameters ()
    :precondition (and (invoice_id) (paid))
    :effect (and (receipt_sent) (receipt_sent-claimed) (increase (total-cost) 4))
  )
)

; receipt_sent
(define (problem verifies-problem)
  (:domain verifies)
  (:init
    (= (total-cost) 0)
    (invoice_id)
    (invoice_id-claimed)
    (paid-claimed)
  )
  (:goal (and (receipt_sent)))
  (:metric minimize (total-cost))
)
