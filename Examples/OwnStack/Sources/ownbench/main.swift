import StackBench

Bench.main(stacks: [.tokenViews], kinds: [.deleteHalf])
