import Foundation
import Measuring
import RunRecords

/// Measures a habit: the same work several times in one process. The fastest repetition counts, as
/// in the engine's speed table.
enum HabitWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        guard let habit = Habit.named(context.text("habit")) else {
            preconditionFailure("The kind \(context.job.kind) declares the habits.")
        }
        let sizes = HabitSizes(posts: context.integer("rows"))
        var verifier = Verifier()
        let sample =
            switch habit.proof {
            case .answer(let sql): try read(habit, sizes, sql, context, &verifier)
            case .effect(let sql, let expected):
                try write(habit, sizes, context) { store, found in
                    try verifier.checkJournal(of: store)
                    verifier.check("effect", try store.integer(sql), equals: expected(sizes))
                    verifier.check("found", found, equals: habit.found?(sizes) ?? 0)
                }
            }
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    private static func read(
        _ habit: Habit, _ sizes: HabitSizes, _ sql: String, _ context: WorkerContext,
        _ verifier: inout Verifier
    ) throws -> Sample {
        try context.placeStore(isWritten: false)
        let subject = try context.openHabits(sizes)
        var answers: Set<Int> = []
        let sample = try context.measureBatches(rowCount: sizes.posts) { batches in
            answers.insert(try batches.time(subject) { try habit.work(subject) })
        }
        try subject.close()
        let store = try StoreReader(context.storeURL)
        try verifier.checkJournal(of: store)
        let expected = try store.integer(sql)
        for answer in answers { verifier.check("answer", answer, equals: expected) }
        return sample
    }

    /// Each batch writes to a fresh store.
    private static func write(
        _ habit: Habit, _ sizes: HabitSizes, _ context: WorkerContext,
        _ check: (StoreReader, _ found: Int) throws -> Void
    ) throws -> Sample {
        try context.measureBatches(rowCount: sizes.posts) { batches in
            try context.placeStore(isWritten: true)
            let subject = try context.openHabits(sizes)
            let found = try batches.time(subject, once: true) { try habit.work(subject) }
            try subject.close()
            try check(StoreReader(context.storeURL), found)
        }
    }
}

extension WorkerContext {
    fileprivate func openHabits(_ sizes: HabitSizes) throws -> any HabitSubject {
        let subject = try opening(\.openHabits)(configuration, HabitQuestions(sizes: sizes))
        try configuration.check(subject)
        return subject
    }
}

extension WorkloadKind {
    static let habit = WorkloadKind(
        name: "habit", summary: "what many apps do, beside C and GRDB",
        subjects: [.engine, .peer],
        data: .own({ HabitStore(sizes: HabitSizes(posts: $0.integer("rows"))) }),
        parameters: [
            WorkloadParameter(
                name: "habit", values: .choice(Habit.all.map(\.name)),
                defaultValue: "chats", summary: "what is done"),
            WorkloadParameter(
                name: "rows", values: .integer(400...1_000_000), defaultValue: "20000",
                summary: "posts; the other objects are a part of these"),
        ],
        run: HabitWorkload.run)
}
