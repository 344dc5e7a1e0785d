/// A list whose elements have handles: finding the element at a position, the position of an
/// element, inserting and removing cost O(log n).
///
/// Each element has a weight, and positions can be asked for by weight too: a list of sections
/// weighted by their numbers of objects finds the section of the n-th object.
///
/// A binary tree in list order whose nodes count their subtrees. Insertions join subtrees at
/// random, in proportion to their sizes, which keeps the tree about 2 log₂ n deep whatever the
/// order of the insertions (Martínez and Roura, Randomized Binary Search Trees, 1998).
struct RankedList<Element> {
    typealias Handle = Int32

    /// Without the element, so that following links counts no references.
    private struct Node {
        var weight: Int
        /// The weight of the subtree.
        var total: Int
        /// The number of nodes of the subtree.
        var count: Int32 = 1
        var left: Handle = none
        var right: Handle = none
        var parent: Handle = none
    }

    private static var none: Handle { -1 }

    private var nodes: [Node] = []
    /// By handle; nil for a free one.
    private var elements: [Element?] = []
    private var free: [Handle] = []
    private var root: Handle = none
    private var random = UInt64(0x9E37_79B9_7F4A_7C15)

    init() {}

    /// A balanced list; handles are positions.
    init(_ list: some Collection<(element: Element, weight: Int)>) {
        elements.reserveCapacity(list.count)
        nodes.reserveCapacity(list.count)
        for (element, weight) in list {
            elements.append(element)
            nodes.append(Node(weight: weight, total: weight))
        }
        root = balance(0..<nodes.count, below: Self.none)
    }

    private mutating func balance(_ range: Range<Int>, below parent: Handle) -> Handle {
        guard !range.isEmpty else { return Self.none }
        let middle = (range.lowerBound + range.upperBound) / 2
        let handle = Handle(middle)
        let left = balance(range.lowerBound..<middle, below: handle)
        let right = balance(middle + 1..<range.upperBound, below: handle)
        nodes[middle].left = left
        nodes[middle].right = right
        nodes[middle].parent = parent
        sum(handle)
        return handle
    }

    var count: Int { count(root) }

    subscript(handle: Handle) -> Element {
        get { elements[Int(handle)]! }
        _modify { yield &elements[Int(handle)]! }
    }

    func weight(of handle: Handle) -> Int { nodes[Int(handle)].weight }

    /// The handles in list order. Cost: O(n).
    func forEach(_ body: (Handle, Element) throws -> Void) rethrows {
        var path: [Handle] = []
        var handle = root
        while handle >= 0 || !path.isEmpty {
            while handle >= 0 {
                path.append(handle)
                handle = nodes[Int(handle)].left
            }
            handle = path.removeLast()
            try body(handle, elements[Int(handle)]!)
            handle = nodes[Int(handle)].right
        }
    }

    // MARK: - Positions

    func handle(at position: Int) -> Handle {
        var (handle, rest) = (root, position)
        while true {
            let node = nodes[Int(handle)]
            let before = count(node.left)
            if rest < before {
                handle = node.left
            } else if rest == before {
                return handle
            } else {
                rest -= before + 1
                handle = node.right
            }
        }
    }

    func position(of handle: Handle) -> Int {
        climb(from: handle, count(nodes[Int(handle)].left)) { count($0.left) + 1 }
    }

    /// The weight of all elements before this one.
    func weight(before handle: Handle) -> Int {
        climb(from: handle, total(nodes[Int(handle)].left)) { total($0.left) + $0.weight }
    }

    /// The element that a position by weight falls into, and the rest of the weight.
    func location(ofWeight weight: Int) -> (handle: Handle, offset: Int) {
        var (handle, rest) = (root, weight)
        while true {
            let node = nodes[Int(handle)]
            let before = total(node.left)
            if rest < before {
                handle = node.left
            } else if rest < before + node.weight {
                return (handle, rest - before)
            } else {
                rest -= before + node.weight
                handle = node.right
            }
        }
    }

    /// Adds up what lies before a node at each ancestor that it is to the right of.
    private func climb(from handle: Handle, _ start: Int, _ before: (Node) -> Int) -> Int {
        var (current, sum) = (handle, start)
        while true {
            let parent = nodes[Int(current)].parent
            guard parent >= 0 else { return sum }
            let node = nodes[Int(parent)]
            if node.right == current { sum += before(node) }
            current = parent
        }
    }

    // MARK: - Changes

    @discardableResult
    mutating func insert(_ element: Element, weight: Int = 1, at position: Int) -> Handle {
        let node = Node(weight: weight, total: weight)
        let handle: Handle
        if let reused = free.popLast() {
            handle = reused
            nodes[Int(handle)] = node
            elements[Int(handle)] = element
        } else {
            handle = Handle(nodes.count)
            nodes.append(node)
            elements.append(element)
        }
        let (left, right) = split(root, at: position)
        root = join(join(left, handle), right)
        nodes[Int(root)].parent = Self.none
        return handle
    }

    mutating func remove(_ handle: Handle) {
        let node = nodes[Int(handle)]
        let joined = join(node.left, node.right)
        if joined >= 0 { nodes[Int(joined)].parent = node.parent }
        if node.parent < 0 {
            root = joined
        } else if nodes[Int(node.parent)].left == handle {
            nodes[Int(node.parent)].left = joined
        } else {
            nodes[Int(node.parent)].right = joined
        }
        elements[Int(handle)] = nil
        free.append(handle)
        sumUpwards(from: node.parent)
    }

    mutating func addWeight(_ weight: Int, to handle: Handle) {
        nodes[Int(handle)].weight += weight
        sumUpwards(from: handle)
    }

    private mutating func sumUpwards(from start: Handle) {
        var handle = start
        while handle >= 0 {
            sum(handle)
            handle = nodes[Int(handle)].parent
        }
    }

    /// Divides a subtree into the first elements and the others.
    private mutating func split(_ handle: Handle, at position: Int) -> (Handle, Handle) {
        guard handle >= 0 else { return (Self.none, Self.none) }
        let before = count(nodes[Int(handle)].left)
        if position <= before {
            let (first, rest) = split(nodes[Int(handle)].left, at: position)
            setLeft(of: handle, rest)
            return (first, handle)
        }
        let (first, rest) = split(nodes[Int(handle)].right, at: position - before - 1)
        setRight(of: handle, first)
        return (handle, rest)
    }

    private mutating func join(_ left: Handle, _ right: Handle) -> Handle {
        guard left >= 0 else { return right }
        guard right >= 0 else { return left }
        let (leftCount, rightCount) = (count(left), count(right))
        if nextRandom() % UInt64(leftCount + rightCount) < UInt64(leftCount) {
            setRight(of: left, join(nodes[Int(left)].right, right))
            return left
        }
        setLeft(of: right, join(left, nodes[Int(right)].left))
        return right
    }

    private mutating func setLeft(of handle: Handle, _ child: Handle) {
        nodes[Int(handle)].left = child
        if child >= 0 { nodes[Int(child)].parent = handle }
        sum(handle)
    }

    private mutating func setRight(of handle: Handle, _ child: Handle) {
        nodes[Int(handle)].right = child
        if child >= 0 { nodes[Int(child)].parent = handle }
        sum(handle)
    }

    private mutating func sum(_ handle: Handle) {
        let node = nodes[Int(handle)]
        nodes[Int(handle)].count = Int32(count(node.left) + count(node.right) + 1)
        nodes[Int(handle)].total = total(node.left) + total(node.right) + node.weight
    }

    private func count(_ handle: Handle) -> Int {
        handle < 0 ? 0 : Int(nodes[Int(handle)].count)
    }

    private func total(_ handle: Handle) -> Int { handle < 0 ? 0 : nodes[Int(handle)].total }

    /// A fixed sequence (xorshift64), so that the same changes give the same tree.
    private mutating func nextRandom() -> UInt64 {
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        return random
    }
}
