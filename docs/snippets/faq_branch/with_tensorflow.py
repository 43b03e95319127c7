import tensorflow as tf

generator = tf.Variable(1.0)
discriminator = tf.Variable(2.0)

with tf.GradientTape(persistent=True) as tape:
    fake = 3 * generator
    discriminator_loss = discriminator * tf.stop_gradient(fake)  # fake is data here
    generator_loss = -discriminator * fake  # nothing is data here

print("discriminator_step:", tape.gradient(discriminator_loss, discriminator).numpy())
print("reaches_generator:", tape.gradient(discriminator_loss, generator))
print("generator_step:", tape.gradient(generator_loss, generator).numpy())
