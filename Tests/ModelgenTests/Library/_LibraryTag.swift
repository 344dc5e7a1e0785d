// Made by modelgen from Library.xcdatamodeld. Do not edit: the next run replaces this file.
// swift-format-ignore-file

import Foundation
import ObjectGraph

public class _LibraryTag: ManagedObject {
    override public class var entityName: String { "Tag" }
}
