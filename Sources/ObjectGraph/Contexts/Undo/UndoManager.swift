/// The actions that can be undone and redone, in groups, the last first (spec §2.9).
///
/// Set one as the `undoManager` of a context. Each event of the context, from one
/// `processPendingChanges` to the next, then becomes a group, or part of the group that is open.
/// Other actions can be registered too. Queue: that of the context.
public final class UndoManager {
    public typealias Action = () -> Void

    /// How many groups are kept; 0 means no limit.
    public var levelsOfUndo = 0
    public private(set) var isUndoing = false
    public private(set) var isRedoing = false
    private var undoStack: [[Action]] = []
    private var redoStack: [[Action]] = []

    /// The actions of each open group, the innermost last.
    private var openGroups: [[Action]] = []
    private var disablings = 0

    /// The contexts whose pending changes are processed before a group begins or ends, so that each
    /// change is part of the group in which it was made.
    private var contexts: [WeakChild] = []

    public init() {}

    public var canUndo: Bool { !undoStack.isEmpty || openGroups.contains { !$0.isEmpty } }
    public var canRedo: Bool { !redoStack.isEmpty }

    // MARK: - Contexts

    func attach(_ context: ManagedObjectContext) { contexts.append(WeakChild(context: context)) }

    func detach(_ context: ManagedObjectContext) {
        contexts.removeAll { $0.context == nil || $0.context === context }
    }

    private func processPendingChanges() {
        for attached in contexts { attached.context?.processPendingChanges() }
    }

    // MARK: - Registration

    /// Registers an action that undoes what was just done; while undoing, an action that redoes it.
    ///
    /// Does nothing while registration is disabled. Removes all redo actions, unless called during
    /// an undo or redo.
    public func registerUndo(_ action: @escaping Action) {
        guard isUndoRegistrationEnabled else { return }
        if !isUndoing, !isRedoing { redoStack = [] }
        guard openGroups.isEmpty else { return openGroups[openGroups.count - 1].append(action) }
        close([action])
    }

    public var isUndoRegistrationEnabled: Bool { disablings == 0 }

    /// Calls add up: as many calls of `enableUndoRegistration` are needed.
    public func disableUndoRegistration() { disablings += 1 }

    public func enableUndoRegistration() {
        guard disablings > 0 else {
            fatalError(
                "Undo registration is enabled already; pair each call with one that disables it.")
        }
        disablings -= 1
    }

    /// Opens a group: everything until its end is undone in one step. Groups can be nested.
    public func beginUndoGrouping() {
        processPendingChanges()
        openGroups.append([])
    }

    /// Ends the group opened last.
    public func endUndoGrouping() {
        guard !openGroups.isEmpty else {
            fatalError("No undo group is open; begin one before you end it.")
        }
        processPendingChanges()
        closeLastGroup()
    }

    private func closeLastGroup() {
        let group = openGroups.removeLast()
        guard !group.isEmpty else { return }
        if openGroups.isEmpty {
            close(group)
        } else {
            openGroups[openGroups.count - 1] += group
        }
    }

    private func close(_ group: [Action]) {
        guard !isUndoing else { return redoStack.append(group) }
        undoStack.append(group)
        if levelsOfUndo > 0, undoStack.count > levelsOfUndo {
            undoStack.removeFirst(undoStack.count - levelsOfUndo)
        }
    }

    // MARK: - Undoing

    /// Undoes the last group, after ending all open groups; does nothing if there is none. Pending
    /// changes of its contexts are processed first.
    public func undo() {
        processPendingChanges()
        while !openGroups.isEmpty { closeLastGroup() }
        guard let group = undoStack.popLast() else { return }
        isUndoing = true
        run(group)
        isUndoing = false
    }

    /// Redoes the last undone group; does nothing if there is none. Pending changes of its contexts
    /// are processed first.
    public func redo() {
        processPendingChanges()
        guard let group = redoStack.popLast() else { return }
        isRedoing = true
        run(group)
        isRedoing = false
    }

    private func run(_ group: [Action]) {
        openGroups.append([])
        for action in group.reversed() { action() }
        closeLastGroup()
    }

    /// Removes all undo and redo actions.
    public func removeAllActions() {
        undoStack = []
        redoStack = []
        openGroups = openGroups.map { _ in [] }
    }
}
