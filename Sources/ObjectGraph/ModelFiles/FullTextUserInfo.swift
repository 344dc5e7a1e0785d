// Core Data has no full-text indexes. Model files and archives keep them in the user information of
// the entity, where Xcode's editor shows them: `fullText.byText` is `title body`.
extension EntityDescription {
    fileprivate static let fullTextKey = "fullText."

    /// The user information as files have it.
    var userInfoOfFiles: [String: String] {
        indexes.reduce(into: userInfo) { info, index in
            guard index.kind == .fullText else { return }
            info[Self.fullTextKey + index.name] = index.elements.map(\.property)
                .joined(separator: " ")
        }
    }
}

extension ModelDraft {
    /// Makes indexes of entries in the user information.
    mutating func takeFullTextIndexes(
        of entity: inout EntityDescription, _ columnless: Set<String>
    ) {
        let key = EntityDescription.fullTextKey
        for (entry, names) in entity.userInfo.sorted(by: { $0.key < $1.key })
        where entry.hasPrefix(key) {
            entity.userInfo[entry] = nil
            let elements = names.split { $0 == " " || $0 == "," }
                .map { FetchIndexDescription.Element(String($0)) }
            let usable = self.usable(elements, entity.name, columnless)
            guard !usable.isEmpty || elements.isEmpty else { continue }
            entity.indexes.append(
                FetchIndexDescription(
                    String(entry.dropFirst(key.count)), elements: usable, kind: .fullText))
        }
    }
}
