; ask-permission
; costs are scores: cost + risk
(define (domain ask-permission)
  (:requirements :strips :typing :action-costs)
  (:types
    any - object
    file - any
  )
  (:predicates
    (found ?file - file)
    (deleted ?file - file)
    (may_delete ?f - file)  ; the user has permitted delete_file
  )
  (:functions (total-cost) - number)

  ; delete_file (cost 1, risk delete)
  (:action delete_file
    :parameters (?f - file)
    :precondition (and (found ?f) (may_delete ?f))
    :effect (and (not (may_delete ?f)) (deleted ?f) (increase (total-cost) 6))
  )

  ; may_delete (cost 5, a question): May I delete this file? It cannot be brought back.
  (:action may_delete_2
    :parameters (?f - file)
    :precondition (and (found ?f))
    :effect (and (may_delete ?f) (increase (total-cost) 5))
  )
)

; deleted(report)
(define (problem ask-permission-problem)
  (:domain ask-permission)
  (:objects
    report - file
  )
  (:init
    (= (total-cost) 0)
    (found report)
  )
  (:goal (and (deleted report)))
  (:metric minimize (total-cost))
)
