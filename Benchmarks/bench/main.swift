import StackBench

Bench.main()
