import * as tf from "@tensorflow/tfjs"

function withRule(x, gradFunc) {
  return tf.customGrad((x) => ({ value: tf.clone(x), gradFunc }))(x)
}

const stopGradient = (x) => withRule(x, (g) => tf.zerosLike(g))
const scaleGradient = (x, scale) => withRule(x, (g) => tf.mul(g, scale))

const stopped = tf.grad((x) => tf.mul(x, stopGradient(x)))
const halved = tf.grad((x) => tf.square(scaleGradient(x, 0.5)))

console.log("stopped:", stopped(tf.scalar(3)).dataSync()[0])
console.log("halved:", halved(tf.scalar(3)).dataSync()[0])
