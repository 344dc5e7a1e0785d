// Made by modelgen from Library.xcdatamodeld. Do not edit: the next run replaces this file.
// swift-format-ignore-file

import Foundation
import ObjectGraph

public class _Novel: Book {
    override public class var entityName: String { "Novel" }

    public static let pages = Attribute<Int64>("pages")

    public final var pages: Int64 {
        get { self[Self.pages] }
        set { self[Self.pages] = newValue }
    }
}
