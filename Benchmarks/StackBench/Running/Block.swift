import Reports
import RunRecords

/// Cells of one workload that share rounds, because questions compare them: their samples of a
/// round are close in time.
struct Block: Sendable {
    /// The index of the workload in the run.
    let workload: Int
    /// The indices of its cells in the workload, ascending.
    let cells: [Int]

    /// The blocks of a workload. The cells of a contest are in one block, and contests that share
    /// cells share a block. All cells without a contest form one more block.
    static func all(of result: WorkloadResult, at workload: Int) -> [Block] {
        let places = Dictionary(
            uniqueKeysWithValues: result.cells.enumerated().map { ($1.identifier, $0) })
        var groups: [Set<Int>] = []
        for contest in (result.questions ?? []).filter({ !$0.isExact }).flatMap(\.contests) {
            let cells = Set(contest.cells.compactMap { places[$0] })
            let joined = groups.filter { !$0.isDisjoint(with: cells) }
            groups.removeAll { !$0.isDisjoint(with: cells) }
            groups.append(joined.reduce(cells) { $0.union($1) })
        }
        let rest = Set(result.cells.indices).subtracting(groups.joined())
        if !rest.isEmpty { groups.append(rest) }
        return groups.map { Block(workload: workload, cells: $0.sorted()) }
    }
}

extension WorkloadResult {
    /// The contests of measured metrics whose cells are in the block. Cells that the command line did
    /// not select are in none.
    private func contests(in block: Block) -> [(question: Question, contest: Contest)] {
        let identifiers = Set(block.cells.map { cells[$0].identifier })
        return (questions ?? []).filter { !$0.isExact }.flatMap { question in
            question.contests.filter { !identifiers.isDisjoint(with: $0.cells) }.map {
                (question, $0)
            }
        }
    }

    /// The comparisons of a block that more rounds can decide.
    func openComparisons(
        in block: Block, _ design: SequentialDesign
    ) -> [RoundAllocation.OpenComparison] {
        let places = Dictionary(
            uniqueKeysWithValues: block.cells.map { (cells[$0].identifier, $0) })
        return contests(in: block).flatMap { question, contest in
            let result = ContestResult(contest, of: question, in: self, design)
            let spread = result.reference.flatMap { reference in
                RoundAllocation.pooledSpread(
                    result.cells.filter { $0.identifier != reference.identifier }.map {
                        question.logRatios(of: $0, to: reference)
                    })
            }
            return result.openPairs.map { pair in
                RoundAllocation.OpenComparison(
                    question: question.id,
                    cells: [places[pair.cell.identifier]!, places[pair.reference.identifier]!],
                    logRatios: question.logRatios(of: pair.cell, to: pair.reference),
                    sameWithin: question.sameWithin, spread: spread)
            }.filter { !question.isBounded || $0.logRatios.count < Question.boundedRoundCount }
        }
    }
}
