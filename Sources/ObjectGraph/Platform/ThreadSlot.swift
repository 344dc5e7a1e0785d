import Foundation

/// An address for each thread; nil until the thread has set it.
///
/// Elsewhere: the same on Apple's systems.
package struct ThreadSlot: ~Copyable, Sendable {
    private let key: pthread_key_t

    package init() {
        var key = pthread_key_t()
        let code = pthread_key_create(&key, nil)
        precondition(code == 0, "the process has used up its keys: pthread_key_create: \(code)")
        self.key = key
    }

    deinit { pthread_key_delete(key) }

    package var address: UnsafeMutableRawPointer? {
        get { pthread_getspecific(key) }
        nonmutating set { pthread_setspecific(key, newValue) }
    }
}
