; fact-closed
; costs are scores: cost + risk
(define (domain fact-closed)
  (:requirements :strips :typing :negative-preconditions :action-costs)
  (:types
    any - object
    file - any
  )
  (:predicates
    (locked ?file - file)  ; nobody but our tools locks a file
    (edited ?file - file)
  )
  (:functions (total-cost) - number)

  ; edit_file (cost 1, risk write)
  (:action edit_file
    :parameters (?f - file)
    :precondition (and (not (locked ?f)))
    :effect (and (edited ?f) (increase (total-cost) 2))
  )

  ; unlock_file (cost 1, risk write)
  (:action unlock_file
    :parameters (?f - file)
    :precondition (and (locked ?f))
    :effect (and (not (locked ?f)) (increase (total-cost) 2))
  )
)

; edited(report), edited(notes)
(define (problem fact-closed-problem)
  (:domain fact-closed)
  (:objects
    notes - file
    report - file
  )
  (:init
    (= (total-cost) 0)
    (locked report)
  )
  (:goal (and (edited report) (edited notes)))
  (:metric minimize (total-cost))
)
