; fact-values
; costs are scores: cost + risk
(define (domain fact-values)
  (:requirements :strips :action-costs)
  (:predicates
    (subject)
    (seats)
    (price)
    (urgent)
    (day)
    (start_)
    (length_)
    (recipient)
    (link)
    (level)
    (filter)
  )
  (:functions (total-cost) - number)

  ; book_room (cost 1, risk write)
  (:action book_room
    :parameters ()
    :precondition (and (subject) (seats) (price) (urgent) (day) (start_) (length_) (level))
    :effect (and (link) (increase (total-cost) 2))
  )

  ; send_link (cost 1, risk send)
  (:action send_link
    :parameters ()
    :precondition (and (link) (recipient))
    :effect (and (filter) (increase (total-cost) 4))
  )
)

; filter
(define (problem fact-values-problem)
  (:domain fact-values)
  (:init
    (= (total-cost) 0)
    (day)
    (length_)
    (level)
    (price)
    (recipient)
    (seats)
    (start_)
    (subject)
    (urgent)
  )
  (:goal (and (filter)))
  (:metric minimize (total-cost))
)
