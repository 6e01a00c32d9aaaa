; creates
; costs are scores: cost + risk
(define (domain creates)
  (:requirements :strips :typing :action-costs)
  (:types
    any - object
    branch - any
    pull_request - any
  )
  (:constants
    create_pull_request_r - pull_request
  )
  (:predicates
    (pushed ?branch - branch)
    (open ?pull_request - pull_request)
    (of ?pull_request - pull_request ?branch - branch)
    (merged ?branch - branch)
    (pull_request-enumerated)
    (present ?thing - any)  ; what tools find or create is there once they have
  )
  (:functions (total-cost) - number)

  ; create_pull_request (cost 1, risk write)
  (:action create_pull_request
    :parameters (?b - branch)
    :precondition (and (pushed ?b))
    :effect (and (open create_pull_request_r) (of create_pull_request_r ?b) (present create_pull_request_r) (increase (total-cost) 2))
  )

  ; merge (cost 1, risk write)
  (:action merge
    :parameters (?r - pull_request ?b - branch)
    :precondition (and (present ?r) (and (open ?r) (of ?r ?b)))
    :effect (and (not (open ?r)) (merged ?b) (increase (total-cost) 2))
  )
)

; merged(fix)
(define (problem creates-problem)
  (:domain creates)
  (:objects
    fix - branch
  )
  (:init
    (= (total-cost) 0)
    (pushed fix)
    (present fix)
  )
  (:goal (and (merged fix)))
  (:metric minimize (total-cost))
)
