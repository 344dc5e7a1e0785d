// Reading one state of the stores while others write (spec §4.7).
extension ManagedObjectContext {
    /// Pins the context to a generation: from now on it reads this state of the stores, whatever is
    /// saved meanwhile. `nil` unpins it.
    ///
    /// With `.current`, the generation is the one that is the newest when the context next reads.
    /// The token of another context pins this one to the same generation. Contexts below this one
    /// follow when their queue is next entered. Saves go to the newest state, with the usual
    /// detection of conflicts.
    ///
    /// A pinned context moves to the newest generation when it saves, merges or is reset. Moving
    /// refreshes no realised object; faults read their rows again.
    ///
    /// A store in memory or without a WAL behaves as if the context were not pinned. A store that
    /// is added later is not read. Reads of a store that is removed throw.
    ///
    /// Queue: the context's. Cost: no statement here; three for each store at the next read, with a
    /// connection of its own, and the WAL of each store grows until the generation ends. A
    /// generation ends when no context reads it and no token names it.
    /// - Parameter token: The generation.
    /// - Throws: `FetchError.unsupported` below a parent context. `StoreError` with the reason
    ///   `foreignGeneration` for a token of another coordinator, or `generationUnavailable` if one
    ///   of its stores was removed. Reads throw `tooManyGenerations` if 32 generations of a store
    ///   are pinned.
    public func setQueryGeneration(from token: QueryGenerationToken?) throws {
        checkQueue()
        takePendingUpdates()
        guard parent == nil else {
            throw FetchError.unsupported(
                feature: "A query generation of a context with a parent "
                    + "(set it in the context on the coordinator)")
        }
        if let generation = token?.generation {
            guard generation.coordinator === coordinator else {
                throw StoreError(.foreignGeneration)
            }
            try generation.requireAllOpen()
        }
        switchChannel(to: token.map { GenerationChannel($0, of: coordinator) } ?? coordinator)
    }

    /// The generation that the context is pinned to, or the context on the coordinator above it;
    /// nil if it is not pinned. `.current` until it has read.
    public var queryGenerationToken: QueryGenerationToken? {
        checkQueue()
        if let parent { return parent.performAndWait { parent.queryGenerationToken } }
        return (channel as? GenerationChannel)?.token
    }

    /// Moves a pinned context to the newest generation. Does nothing in one that is not pinned.
    func moveToNewestGeneration() {
        guard channel is GenerationChannel else { return }
        switchChannel(to: GenerationChannel(.current, of: coordinator))
    }

    /// Makes this and all contexts below read through another channel.
    func switchChannel(to channel: any StoreChannel) {
        guard channel !== self.channel else { return }
        self.channel = channel
        identityMap.use(channel)
        forgetRowsOfFaults()
        notifyDescendants { $0.parentHasMoved = true }
    }

    /// Makes each fault ask the level above for its row, and look again for a row that was found
    /// gone.
    func forgetRowsOfFaults() {
        for table in identityMap.tables {
            table.forEach { object in
                if object.state.deletion == .foundGone { object.expectRow(in: self) }
                guard object.state.isFault, !object.state.isDeleted, !object.state.life.isInsertion
                else { return }
                object.row = nil
                object.contents?.unload()
            }
        }
    }
}
