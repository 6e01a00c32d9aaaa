; enumerates
; costs are scores: cost + risk
(define (domain enumerates)
  (:requirements :strips :typing :universal-preconditions :action-costs)
  (:types
    any - object
    file - any
  )
  (:predicates
    (found ?file - file)
    (saved ?file - file)
    (backup_complete)
    (file-enumerated)
  )
  (:functions (total-cost) - number)

  ; list_files (cost 1, risk read)
  (:action list_files
    :parameters ()
    :precondition (and)
    :effect (and (file-enumerated) (increase (total-cost) 1))
  )

  ; save (cost 1, risk write)
  (:action save
    :parameters (?f - file)
    :precondition (and (found ?f))
    :effect (and (saved ?f) (increase (total-cost) 2))
  )

  ; finish (cost 1, risk write)
  (:action finish
    :parameters ()
    :precondition (and (forall (?f - file) (saved ?f)) (file-enumerated))
    :effect (and (backup_complete) (increase (total-cost) 2))
  )
)

; backup_complete
(define (problem enumerates-problem)
  (:domain enumerates)
  (:objects
    notes - file
    report - file
  )
  (:init
    (= (total-cost) 0)
    (found notes)
    (saved report)
  )
  (:goal (and (backup_complete)))
  (:metric minimize (total-cost))
)
