; passes
; costs are scores: cost + risk
(define (domain passes)
  (:requirements :strips :typing :action-costs)
  (:types
    any - object
    file - any
  )
  (:constants
    inbox - file
  )
  (:predicates
    (found ?file - file)
    (title)
    (folder_id)
    (copied ?file - file)
  )
  (:functions (total-cost) - number)

  ; copy_file (cost 1, risk write)
  (:action copy_file
    :parameters (?f - file)
    :precondition (and (found ?f) (title) (folder_id))
    :effect (and (copied ?f) (increase (total-cost) 2))
  )
)

; copied(report)
(define (problem passes-problem)
  (:domain passes)
  (:objects
    report - file
  )
  (:init
    (= (total-cost) 0)
    (folder_id)
    (found report)
    (title)
  )
  (:goal (and (copied report)))
  (:metric minimize (total-cost))
)
