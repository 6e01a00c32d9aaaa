; by-user
; costs are scores: cost + risk
(define (domain by-user)
  (:requirements :strips :action-costs)
  (:predicates
    (restarted)  ; the phone was off and is on again
    (restarted-claimed)  ; claimed
    (case_closed)
    (case_closed-claimed)  ; claimed
  )
  (:functions (total-cost) - number)

  ; restart (cost 1, risk write): Hold the button at the side until the phone restarts.
  (:action restart
    :parameters ()
    :precondition (and)
    :effect (and (restarted-claimed) (increase (total-cost) 2))
  )

  ; check_phone (cost 1, risk read)
  (:action check_phone
    :parameters ()
    :precondition (and (restarted))
    :effect (and (restarted) (restarted-claimed) (increase (total-cost) 1))
  )

  ; check_phone (cost 1, risk read)
  (:action check_phone-on-claims
    :parameters ()
    :precondition (and (restarted-claimed))
    :effect (and (restarted) (restarted-claimed) (increase (total-cost) 1))
  )

  ; close_case (cost 1, risk write)
  (:action close_case
    :parameters ()
    :precondition (and (restarted))
    :effect (and (case_closed) (case_closed-claimed) (increase (total-cost) 2))
  )
)

; case_closed
(define (problem by-user-problem)
  (:domain by-user)
  (:init
    (= (total-cost) 0)
  )
  (:goal (and (case_closed)))
  (:metric minimize (total-cost))
)
