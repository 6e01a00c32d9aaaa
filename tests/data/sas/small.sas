begin_version
3
end_version
begin_metric
1
end_metric
4
begin_variable
v0
-1
2
false
true
end_variable
begin_variable
v1
-1
2
false
true
end_variable
begin_variable
v2
-1
2
false
true
end_variable
begin_variable
v3
-1
2
false
true
end_variable
0
begin_state
1
0
0
0
end_state
begin_goal
1
3 1
end_goal
5
begin_operator
0
0
2
0 0 1 0
0 1 0 1
3
end_operator
begin_operator
1
1
1 1
1
0 0 -1 1
4
end_operator
begin_operator
2
0
4
0 0 -1 0
2 0 1 2 0 1 -1 0
2 0 1 2 0 0 -1 1
2 0 1 2 0 2 -1 1
5
end_operator
begin_operator
goal
2
1 1
2 1
1
0 3 -1 1
0
end_operator
begin_operator
goal
1
0 0
1
0 3 -1 1
0
end_operator
0
