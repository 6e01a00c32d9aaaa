; requires-equal
; costs are scores: cost + risk
(define (domain requires-equal)
  (:requirements :strips :typing :negative-preconditions :disjunctive-preconditions :equality :action-costs)
  (:types
    any - object
    account - any
  )
  (:constants
    savings - account
  )
  (:predicates
    (balance_known ?account - account)
    (unlocked)
    (moved ?account - account ?account_2 - account)
  )
  (:functions (total-cost) - number)

  ; transfer (cost 1, risk write)
  (:action transfer
    :parameters (?a - account ?b - account)
    :precondition (and (not (= ?a ?b)) (or (= ?a savings) (unlocked)))
    :effect (and (moved ?a ?b) (increase (total-cost) 2))
  )
)

; moved(savings, checking)
(define (problem requires-equal-problem)
  (:domain requires-equal)
  (:objects
    checking - account
  )
  (:init
    (= (total-cost) 0)
    (balance_known checking)
  )
  (:goal (and (moved savings checking)))
  (:metric minimize (total-cost))
)
