import Foundation
import ObjectGraph

/// The store of habits, made by the engine.
struct HabitStore: SampleStore {
    let sizes: HabitSizes

    func make(in context: WorkerContext) throws -> [String: Int64] {
        let model = try HabitModel.make()
        let coordinator = try context.openCoordinator(model)
        let objects = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        func save(_ insert: @Sendable (ManagedObjectContext) throws -> Void) throws {
            try objects.performAndWait {
                try insert(objects)
                try objects.save()
                objects.reset()
            }
        }
        try save(insertChats)
        try save(insertPeopleAndBranches)
        try save(insertPlaylists)
        try save { try insertRows($0, model) }
        try coordinator.removePersistentStores()
        return [:]
    }

    @Sendable private func insertChats(_ objects: ManagedObjectContext) {
        let chats = (0..<sizes.chats).map { number in
            let chat = Chat(context: objects)
            chat[Chat.title] = "Chat \(number)"
            chat[Chat.updatedAt] = HabitSizes.sentAt(number)
            return chat
        }
        for number in 0..<sizes.posts {
            let post = Post(context: objects)
            post[Post.number] = Int64(number)
            post[Post.text] = HabitSizes.text(number)
            post[Post.sender] = HabitSizes.sender(number)
            post[Post.sentAt] = HabitSizes.sentAt(number)
            post[Post.isRead] = HabitSizes.isRead(number)
            post[Post.chat] = chats[number % chats.count]
        }
    }

    @Sendable private func insertPeopleAndBranches(_ objects: ManagedObjectContext) {
        for number in 0..<sizes.contacts {
            let contact = Contact(context: objects)
            contact[Contact.email] = HabitSizes.email(number)
            contact[Contact.name] = HabitSizes.contactName(number)
        }
        var branches: [Branch] = []
        for number in 0..<sizes.branches {
            let branch = Branch(context: objects)
            branch[Branch.name] = "Branch \(number)"
            if number >= 10 { branch[Branch.parent] = branches[number / 10 - 1] }
            branches.append(branch)
        }
        for number in 0..<sizes.photos {
            let photo = Photo(context: objects)
            photo[Photo.name] = "Photo \(number)"
            photo[Photo.data] = Data(repeating: UInt8(number + 7), count: HabitSizes.photoBytes)
        }
    }

    @Sendable private func insertPlaylists(_ objects: ManagedObjectContext) {
        let playlists = ["First", "Second"].map { title in
            let playlist = Playlist(context: objects)
            playlist[Playlist.title] = title
            return playlist
        }
        for number in 0..<sizes.tracks {
            let track = Track(context: objects)
            track[Track.number] = Int64(number)
            playlists[number * 2 / sizes.tracks].add(track, to: Playlist.tracks)
        }
    }

    private func insertRows(_ objects: ManagedObjectContext, _ model: ManagedObjectModel)
        throws
    {
        for number in 0..<sizes.wideRows {
            let row = WideRow(context: objects)
            for index in 0..<HabitModel.wideCount {
                row[WideRow.numbers[index]] = Int64(number + index)
                row[WideRow.texts[index]] = "text \(number + index)"
            }
        }
        for number in 0..<sizes.sparseRows {
            let row = SparseRow(context: objects)
            for step in 0..<3 {
                row[SparseRow.values[(number + step * 11) % HabitModel.sparseCount]] =
                    Int32(number)
            }
        }
        for number in 0..<sizes.shapes {
            let kind = number % HabitModel.shapeKinds
            let shape = try Shape(entityName: Shape.name(ofKind: kind), model: model)
            objects.insert(shape)
            shape[Shape.kind] = Int16(kind)
            shape[Shape.area] = Int64(number)
            shape[Shape.sides[kind]] = Int64(number + 1)
        }
    }
}
